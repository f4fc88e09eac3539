// Package gitdiff writes the difference between two sets of files as a patch
// that "git apply" takes, with the bytes that "git diff --cached --binary"
// would print for the same change under git's default settings.
//
// It works on blobs handed to it and never runs git: the files it compares
// come from places where a repository's configuration cannot be trusted.
//
// That includes the payload of binary patches: which delta is made, and its
// compression, which is that of the original zlib (see package zlib1). A git
// built with a replacement of that library prints other payloads for the same
// content.
//
// Two things differ from git on purpose. Attributes (.gitattributes) are not
// read, so no filter, no end-of-line conversion and no language driver applies.
// Text above [MaxTextBytes] or [MaxTextLines] is written as a binary patch, to
// bound memory.
package gitdiff
