// Package workspace takes a directory of the host into a sandbox and brings the
// change made there back as a patch.
//
// [Take] copies the directory into one tar archive, the snapshot, which also
// remembers the content every file had. When the work is done, the sandbox lists
// what its workspace holds; [Diff] compares the list with the snapshot, asks for
// the contents that differ and writes the patch that "git add -A" followed by
// "git diff --cached --binary" would print. [Apply] brings a patch into a
// directory of the host.
//
// Whatever comes out of a sandbox may be hostile. Nothing here runs git on it or
// extracts it to the host's disk under its own names, and all of it is bounded.
//
// # What is in a patch
//
// Git records the content of files, one execute bit and the targets of
// symlinks; so does the patch. Empty directories, owners and times are not in
// it. It never holds
//
//   - anything in a directory named ".git", in any case, or in one that some
//     file system takes for it; nor a symlink named ".gitmodules";
//   - files that the .gitignore rules leave out, unless git already tracked them
//     when the snapshot was taken. The rules are those of the result, with
//     .git/info/exclude of the snapshot; the person's global rules do not count;
//   - build output, as [IsBuildOutput] lists it, unless it was there before.
//
// In a directory that is no git repository every file of the snapshot counts as
// tracked. Files of nested repositories and submodules are compared like any
// other, under their full path. What was left out is counted in [Patch.Notes].
package workspace
