package images

import (
	"fmt"
	"strings"

	"drydock/sandbox"
)

// namespace holds drydock's own images. Nothing in it is ever pulled: whoever
// owns that name at a registry is somebody else.
const namespace = "drydock/"

// reference is the full name of one of drydock's own images.
func reference(name string) string { return namespace + name + ":latest" }

// ownName tells whether ref means one of drydock's own images, and which. Short
// names, names without a tag and full names all do.
func ownName(ref string) (name string, own bool, err error) {
	name, inNamespace := strings.CutPrefix(ref, namespace)
	name = strings.TrimSuffix(name, ":latest")
	if _, known := lists[name]; known && (inNamespace || name == ref) {
		return name, true, nil
	}
	if inNamespace {
		return "", false, unknownName(ref)
	}
	return "", false, nil
}

func unknownName(name string) error {
	return &sandbox.ImageError{Image: name, Err: fmt.Errorf(
		"drydock has no such image; its own are %s", strings.Join(Names(), " and "))}
}
