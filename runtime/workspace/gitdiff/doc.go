// Package gitdiff writes the difference between two sets of files as a patch
// that "git apply" takes, with the bytes that "git diff --cached --binary"
// would print for the same change under git's default settings.
//
// It works on blobs handed to it and never runs git: the files it compares
// come from places where a repository's configuration cannot be trusted.
//
// Three things differ from git on purpose. Attributes (.gitattributes) are not
// read, so no filter, no end-of-line conversion and no language driver applies.
// Text above [MaxTextBytes] or [MaxTextLines] is written as a binary patch, to
// bound memory. The compressed payload of a binary patch is a valid zlib
// stream, but its bytes, and the delta instructions in it, are this package's
// own; git reads both.
package gitdiff
