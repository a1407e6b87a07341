// SPDX-License-Identifier: Apache-2.0
//
// meet RANK RANKS ADDRESS PORT: a plain distributed program at its smallest. Rank 0 listens on the
// port and names everyone who comes; the others connect to the address until somebody listens.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kTries = 500;  // ten seconds

int make_socket() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return fd;
}

int fail(const char* what) {
  std::perror(what);
  return 1;
}

int listen_for(int others, in_port_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const int fd = make_socket();
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return fail("bind");
  if (listen(fd, others) != 0) return fail("listen");
  alarm(20);  // nobody comes: it ends by the signal
  for (int i = 0; i < others; ++i) {
    const int guest = accept(fd, nullptr, nullptr);
    char rank = 0;
    if (guest < 0 || read(guest, &rank, 1) != 1) return fail("accept");
    std::printf("rank %d is here\n", rank);
    close(guest);
  }
  return 0;
}

int connect_to(const char* name, in_port_t port, int rank) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, name, &address.sin_addr) != 1) return fail(name);
  for (int i = 0; i < kTries; ++i) {
    const int fd = make_socket();
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
      const char own = static_cast<char>(rank);
      if (write(fd, &own, 1) != 1) return fail("write");
      std::printf("met rank 0 at %s:%d\n", name, port);
      return 0;
    }
    close(fd);
    usleep(20'000);
  }
  return fail("connect");
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) {
    std::fprintf(stderr, "usage: meet RANK RANKS ADDRESS PORT\n");
    return 2;
  }
  const int rank = std::atoi(words[1]);
  const int ranks = std::atoi(words[2]);
  const auto port = static_cast<in_port_t>(std::atoi(words[4]));
  return rank == 0 ? listen_for(ranks - 1, port) : connect_to(words[3], port, rank);
}
