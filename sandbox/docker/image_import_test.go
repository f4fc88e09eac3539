package docker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"
)

func TestImportImageSendsTheTarWithItsConfiguration(t *testing.T) {
	var body string
	var changes []string
	e := serve(t, map[string]http.HandlerFunc{
		"GET /images/drydock/x:latest/json": noImage,
		"POST /images/create": func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			body, changes = string(raw), r.URL.Query()["changes"]
			answer(http.StatusOK, `{"status":"sha256:new"}`)(w, r)
		},
	})
	err := e.ImportImage(t.Context(), ImageImport{
		Ref: "drydock/x:latest", Rootfs: strings.NewReader("a tar"), Changes: []string{"WORKDIR /w", `CMD ["a"]`},
	})
	assert.NilError(t, err)
	assert.Equal(t, body, "a tar")
	assert.DeepEqual(t, changes, []string{"WORKDIR /w", `CMD ["a"]`})
}

func TestATarThatBreaksOffNeverArrivesWhole(t *testing.T) {
	seen := make(chan error, 1)
	e := serve(t, map[string]http.HandlerFunc{
		"GET /images/x/json": noImage,
		"POST /images/create": func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			seen <- err
		},
	})
	broken := io.MultiReader(strings.NewReader("half a tar"), iotest.ErrReader(errors.New("the maker failed")))
	err := e.ImportImage(t.Context(), ImageImport{Ref: "x", Rootfs: broken})
	assert.ErrorContains(t, err, "the maker failed")
	assert.Assert(t, <-seen != nil, "the engine must not take it for complete")
}

func TestAStoppedImportSaysSoWithoutTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := serve(t, map[string]http.HandlerFunc{
		"GET /images/x/json": noImage,
		"POST /images/create": func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			_, _ = io.ReadAll(r.Body)
		},
	})
	stuck, more := io.Pipe()
	context.AfterFunc(ctx, func() { _ = more.CloseWithError(errors.New("killed")) })
	err := e.ImportImage(ctx, ImageImport{Ref: "x", Rootfs: stuck, Changes: []string{"LABEL a=b"}})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Error(t, err, "import image x: context canceled")
}

func TestTheReplacedImageIsRemovedOnlyWhenNothingNeedsIt(t *testing.T) {
	for _, tc := range []struct {
		name, old string // what the engine says of the image that lost its name
		imported  string
		removed   bool
	}{
		{"dangling", `{"Id":"sha256:old"}`, `{"status":"sha256:new"}`, true},
		{"has another name", `{"Id":"sha256:old","RepoTags":["mine:1"]}`, `{"status":"sha256:new"}`, false},
		{"known by digest", `{"Id":"sha256:old","RepoDigests":["x@sha256:1"]}`, `{"status":"sha256:new"}`, false},
		{"import failed", `{"Id":"sha256:old"}`, `{"errorDetail":{"message":"no space left"}}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var calls []string
			e := serve(t, map[string]http.HandlerFunc{
				"GET /images/x/json":          answer(http.StatusOK, `{"Id":"sha256:old","RepoTags":["x:latest"]}`),
				"GET /images/sha256:old/json": answer(http.StatusOK, tc.old),
				"POST /images/create":         answer(http.StatusOK, tc.imported),
				"DELETE /images/{id}": func(w http.ResponseWriter, r *http.Request) {
					calls = append(calls, r.PathValue("id"))
					answer(http.StatusOK, `[]`)(w, r)
				},
			})
			err := e.ImportImage(t.Context(), ImageImport{Ref: "x", Rootfs: strings.NewReader("a tar")})
			assert.Equal(t, err != nil, tc.name == "import failed")
			assert.Equal(t, slices.Contains(calls, "sha256:old"), tc.removed)
		})
	}
}
