// Package zlib1 compresses to the bytes that the zlib library makes at level 1
// (Z_BEST_SPEED) with its default window and memory settings, when it is given
// all input at once. Those are the bytes git puts into binary patches.
//
// Every choice that shows in the output is therefore the library's: which
// matches are found, where blocks end, how each is coded and how ties between
// symbols are broken. The reference is zlib 1.2.13. Builds that replace its
// algorithms, such as zlib-ng, make other bytes.
package zlib1
