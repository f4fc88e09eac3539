// Package wire is the protocol between the host and the guest, the process
// that is PID 1 in every sandbox.
//
// One byte stream (the container's attached stdin and stdout) carries yamux
// streams; each stream carries HTTP/1.1. Requests and answers are JSON, file
// contents travel as bodies. Only the host opens streams.
//
// The host treats everything that arrives here as hostile: it bounds sizes,
// never follows a name it was given, and gives up a sandbox whose guest keeps
// to none of the bounds below. So the guest must keep them whatever the programs
// it looks after do.
package wire

import "time"

// Version is the protocol version. Host and guest must agree on it exactly:
// the guest is shipped inside the host's binary, so a difference means that a
// stale guest was started.
const Version = 2

// Where the guest lives inside the container.
const (
	// Dir is the guest's own directory, made before the container starts.
	Dir = "/.drydock"
	// GuestPath is the guest's binary.
	GuestPath = Dir + "/guest"
	// RunDir is a small tmpfs for pipes and command texts.
	RunDir = Dir + "/run"
	// OutputDir holds the full outputs of calls, readable by the tool user.
	OutputDir = Dir + "/output"
)

// Bounds that both sides keep.
const (
	// MaxJSON bounds a request or an answer that is JSON.
	MaxJSON = 64 << 20
	// MaxCommand bounds a command or a piece of code, in bytes.
	MaxCommand = 8 << 20
	// MaxHash is the size of the largest file that a walk hashes, in bytes. A
	// sparse file costs nothing to make and would cost minutes to read.
	MaxHash = 64 << 20
	// MaxFile bounds a file that is read or written whole.
	MaxFile = 64 << 20
	// MaxPath is the kernel's bound on a path, in bytes; a path is shorter.
	MaxPath = 4096
	// MaxWalkPath bounds a path that a walk shows: the last name may lead beyond
	// what the kernel takes in one go.
	MaxWalkPath = MaxPath + 256
	// MaxWalk bounds the entries that a walk shows.
	MaxWalk = 20_000_000
	// MaxMessage bounds the text of a Failure or of an entry that could not be
	// read, in bytes.
	MaxMessage = 4 << 10
	// MaxListing bounds the entries of a listing.
	MaxListing = 10_000
	// MaxListingBytes bounds their paths, all together.
	MaxListingBytes = 4 << 20
	// MaxJobs bounds the background processes that a Result lists.
	MaxJobs = 16
	// MaxJobCommand bounds the command line of each, in bytes.
	MaxJobCommand = 120
	// MaxLate bounds how many earlier calls' outputs are looked after.
	MaxLate = 32
	// MaxImages bounds the figures of a Result.
	MaxImages = 8
	// MaxImage bounds each, in bytes.
	MaxImage = 4 << 20
)

// Routes of the guest's HTTP server.
const (
	PathHello  = "/v1/hello"
	PathStats  = "/v1/stats"
	PathExec   = "/v1/exec"
	PathShell  = "/v1/shell"
	PathPython = "/v1/python"
	PathFile   = "/v1/files/content"
	PathList   = "/v1/files/list"
	PathTar    = "/v1/files/tar"
	PathWalk   = "/v1/files/walk"
	PathQuiet  = "/v1/quiesce"
)

// Setup is handed to the guest as JSON in the first argument. Nothing secret
// belongs here: the engine shows it in its inspect output.
type Setup struct {
	Version    int               `json:"version"`
	Workdir    string            `json:"workdir"`
	Home       string            `json:"home"`
	UID        int               `json:"uid"`
	GID        int               `json:"gid"`
	Env        map[string]string `json:"env"`
	Head       int               `json:"head"`        // bytes of output kept from the start
	Tail       int               `json:"tail"`        // and from the end
	MaxOutput  int64             `json:"max_output"`  // a call that prints more is ended
	MaxLog     int64             `json:"max_log"`     // bytes of full output kept in one file
	MaxTimeout Duration          `json:"max_timeout"` // no call runs longer
	Disk       int64             `json:"disk"`        // bytes the run may have on disk
	Memory     int64             `json:"memory"`      // bytes, for a guest that has to see to it itself
	Pids       int64             `json:"pids"`        // processes and threads, likewise
	Outside    []string          `json:"outside"`     // mounted places that do not count as the run's disk
	Caps       []string          `json:"caps"`        // capabilities the tools keep
}

// Hello says what the guest found in the container.
type Hello struct {
	Version  int    `json:"version"`
	Arch     string `json:"arch"`
	Shell    string `json:"shell"`     // path of bash or sh, "" where there is neither
	ShellIs  string `json:"shell_is"`  // "bash" or "sh"
	Python   string `json:"python"`    // path of python3, "" where there is none
	PythonIs string `json:"python_is"` // its version, for example "3.11"
	Git      string `json:"git"`       // path of git, "" where there is none
	Cgroup   int    `json:"cgroup"`    // 1 or 2, 0 where no counters can be read
	Sentry   bool   `json:"sentry"`    // the kernel inside is gVisor's
}

// Stats are the container's own counters.
type Stats struct {
	MemoryBytes int64 `json:"memory_bytes"`
	MemoryLimit int64 `json:"memory_limit"`
	OOMKills    int64 `json:"oom_kills"`
	Pids        int64 `json:"pids"`
	PidsLimit   int64 `json:"pids_limit"`
	GuestRSS    int64 `json:"guest_rss"`
	GuestFiles  int   `json:"guest_files"` // descriptors of the guest
	Zombies     int   `json:"zombies"`
}

// Status says how a call ended.
type Status string

// The statuses a guest reports. The host adds sandbox_lost, rejected and
// tool_error, which no guest can see.
const (
	StatusOK          Status = "ok"
	StatusExitNonzero Status = "exit_nonzero"
	StatusTimeout     Status = "timeout"
	StatusOOM         Status = "oom"
	StatusOutputLimit Status = "output_limit"
)

// ExecRequest runs one program to its end, outside the persistent shell.
type ExecRequest struct {
	Argv    []string          `json:"argv"`
	Dir     string            `json:"dir"`
	Env     map[string]string `json:"env"`
	Stdin   []byte            `json:"stdin"`
	Timeout Duration          `json:"timeout"`
}

// ShellRequest runs a command in the persistent shell.
type ShellRequest struct {
	Command string   `json:"command"`
	Restart bool     `json:"restart"` // start afresh before running
	Timeout Duration `json:"timeout"`
}

// PythonRequest runs code in the persistent interpreter.
type PythonRequest struct {
	Code    string   `json:"code"`
	Reset   bool     `json:"reset"` // start afresh before running
	Fresh   bool     `json:"fresh"` // run in an interpreter of its own, which ends with the call
	Timeout Duration `json:"timeout"`
}

// Result is what a call came to.
type Result struct {
	Status   Status   `json:"status"`
	ExitCode int      `json:"exit_code"`
	Duration Duration `json:"duration"`
	Head     []byte   `json:"head"`
	Tail     []byte   `json:"tail"`    // empty when Head holds everything
	Total    int64    `json:"total"`   // bytes printed, kept or not
	Dropped  int64    `json:"dropped"` // bytes between Head and Tail
	Log      string   `json:"log"`     // file with the full output, when some was dropped
	OOMKills int64    `json:"oom_kills"`
	Killed   int      `json:"killed"`    // processes ended because of the call
	Replaced string   `json:"replaced"`  // why the shell or interpreter was started anew
	Dir      string   `json:"dir"`       // where the shell stands now, "" if unknown
	Jobs     []Job    `json:"jobs"`      // background processes alive
	LateLog  string   `json:"late_log"`  // file for what they print from now on, where this call left some
	Late     []Late   `json:"late"`      // what those of earlier calls have printed since the last answer
	Images   []Image  `json:"images"`    // figures, as PNG
	PidsFull bool     `json:"pids_full"` // the process limit was reached
	DiskFull bool     `json:"disk_full"` // ended because the run had too much on disk
}

// Job is a background process.
type Job struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
}

// Late is output of background processes after their call had ended.
type Late struct {
	File  string `json:"file"`  // that has it, after what the call itself printed
	Bytes int64  `json:"bytes"` // since it was reported last
}

// Image is a picture a call produced.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// Failure is the body of an answer whose HTTP status is not 200.
type Failure struct {
	Code    string `json:"code"` // one of the Code constants
	Message string `json:"message"`
}

// The reasons a file operation or a call can be refused for.
const (
	CodeNotFound   = "not_found"
	CodeIsDir      = "is_directory"
	CodeNotDir     = "not_directory"
	CodePermission = "permission"
	CodeLoop       = "symlink_loop"
	CodeNameLong   = "name_too_long"
	CodeNoSpace    = "no_space"
	CodeChanged    = "changed"
	CodeExists     = "exists"
	CodeTooLarge   = "too_large"
	CodeReadOnly   = "read_only"
	CodeNotRegular = "not_regular"
	CodeMissing    = "program_missing"
	CodeInvalid    = "invalid"
	CodeBusy       = "busy"
	CodeInternal   = "internal"
)

// FileInfo describes a file whose content was read or written. It travels as
// JSON in the header named InfoHeader.
type FileInfo struct {
	Path      []byte `json:"path"` // with every symlink resolved
	Mode      uint32 `json:"mode"` // permission bits
	Size      int64  `json:"size"`
	IsDir     bool   `json:"is_dir"`
	Truncated bool   `json:"truncated"` // the body holds only the start
}

// InfoHeader carries a FileInfo beside a body.
const InfoHeader = "X-Drydock-Info"

// WriteOptions say what must hold for a file to be written. They travel as
// JSON in the header named OptionsHeader.
type WriteOptions struct {
	Expect []byte `json:"expect"` // SHA-256 of the content that must be there, or nil
	New    bool   `json:"new"`    // the file must not exist yet
	Mode   uint32 `json:"mode"`   // for a new file, or for all when SetMode
	SetMod bool   `json:"set_mode"`
}

// OptionsHeader carries WriteOptions beside a body.
const OptionsHeader = "X-Drydock-Options"

// ListEntry is one entry of a directory listing.
type ListEntry struct {
	Path   []byte `json:"path"` // relative to the directory listed
	IsDir  bool   `json:"is_dir"`
	IsLink bool   `json:"is_link"`
	Size   int64  `json:"size"`
}

// Listing answers a listing request.
type Listing struct {
	Entries   []ListEntry `json:"entries"`
	Truncated bool        `json:"truncated"`
}

// WalkEntry is one line of a walk: newline-separated JSON.
type WalkEntry struct {
	Path   []byte `json:"p"`
	Kind   string `json:"k"` // "f" file, "d" directory, "l" symlink, "o" other
	Mode   uint32 `json:"m"`
	Size   int64  `json:"s"`
	Sum    []byte `json:"h"` // SHA-256 of a file's content
	Target []byte `json:"t"` // of a symlink
	Err    string `json:"e"` // why it could not be read
}

// TarRequest asks for a tar stream of the named paths below Root.
type TarRequest struct {
	Root  string   `json:"root"`
	Paths [][]byte `json:"paths"`
}

// Duration is a time.Duration that travels as whole nanoseconds.
type Duration = time.Duration
