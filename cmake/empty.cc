// SPDX-License-Identifier: Apache-2.0
//
// CMake wants a source of its own for a library that is made of other libraries.
