// Package guest is what runs inside a sandbox: a supervisor that is PID 1, and
// the two small modes it starts itself in.
//
// The supervisor is root in the container with three capabilities (KILL,
// SETUID, SETGID); all that the model asks for runs as the tool user, which has
// none. So nothing that the model starts can signal the supervisor, read its
// memory or write to its stream to the host.
//
//	guest init SETUP   PID 1: serves the host over stdin and stdout
//	guest files        the file worker, as the tool user
//	guest launch ...   prepares a process (OOM score) and becomes the program
package guest
