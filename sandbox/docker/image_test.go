package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/docker/docker/client"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

// serve returns an Engine whose daemon answers with the handlers, given by
// "METHOD /path" without the version.
func serve(t *testing.T, handlers map[string]http.HandlerFunc) *Engine {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, handler := range handlers {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /v1.41"+path, handler)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	cli, err := client.NewClientWithOpts(
		client.WithHost("tcp://"+server.Listener.Addr().String()), client.WithVersion("1.41"))
	assert.NilError(t, err)
	t.Cleanup(func() { _ = cli.Close() })
	return &Engine{cli: cli}
}

// answer gives a status and a body.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

var noImage = answer(http.StatusNotFound, `{"message":"No such image: x"}`)

func asImageError(t *testing.T, err error, want string) {
	t.Helper()
	var imageErr *sandbox.ImageError
	assert.Assert(t, errors.As(err, &imageErr), "%T: %v", err, err)
	assert.Error(t, err, want)
}

func TestInspectImageReadsWhatASandboxNeeds(t *testing.T) {
	e := serve(t, map[string]http.HandlerFunc{"GET /images/{ref}/json": answer(http.StatusOK, `{
		"Id":"sha256:abc","Architecture":"arm64","Os":"linux","Size":42,"Created":"2024-05-06T07:08:09.5Z",
		"Config":{"User":"app","WorkingDir":"/src","Env":["A=b"],"Cmd":["sh"],"Entrypoint":["/init"],
			"Labels":{"k":"v"},"Volumes":{"/z":{},"/a":{}},"Healthcheck":{"Test":["CMD","true"]}}}`)})
	img, err := e.InspectImage(t.Context(), "app:1")
	assert.NilError(t, err)
	assert.Equal(t, img.Created.Year(), 2024)
	img.Created = Image{}.Created
	assert.DeepEqual(t, img, Image{
		ID: "sha256:abc", Reference: "app:1", Architecture: "arm64", OS: "linux", Size: 42,
		Labels: map[string]string{"k": "v"}, Env: []string{"A=b"}, User: "app", WorkingDir: "/src",
		Entrypoint: []string{"/init"}, Cmd: []string{"sh"}, Volumes: []string{"/a", "/z"}, Healthcheck: true,
	})
}

func TestInspectImageTellsWhyThereIsNone(t *testing.T) {
	e := serve(t, map[string]http.HandlerFunc{
		"GET /images/x/json":    noImage,
		"GET /images/sick/json": answer(http.StatusInternalServerError, `{"message":"layer store is broken"}`),
	})
	_, err := e.InspectImage(t.Context(), "x")
	asImageError(t, err, "image x: is not on the engine")
	assert.ErrorIs(t, err, ErrImageMissing)

	_, err = e.InspectImage(t.Context(), "sick")
	var engineErr *sandbox.EngineError
	assert.Assert(t, errors.As(err, &engineErr))
	assert.Error(t, err, "inspect image sick: layer store is broken")

	for _, ref := range []string{"", "Bad Ref", "a:b:c", "x\n", "-rm", "../x"} {
		_, err := e.InspectImage(t.Context(), ref)
		assert.ErrorContains(t, err, fmt.Sprintf("image %q: is not a name of an image", ref))
	}
}

func TestPullImageAddsUpItsLayers(t *testing.T) {
	e := serve(t, map[string]http.HandlerFunc{"POST /images/create": answer(http.StatusOK,
		`{"status":"Pulling from library/x","id":"1"}
		{"status":"Downloading","id":"a","progressDetail":{"current":10,"total":100}}
		{"status":"Downloading","id":"b","progressDetail":{"current":50,"total":50}}
		{"status":"Download complete","id":"a","progressDetail":{}}
		{"status":"Extracting","id":"a","progressDetail":{"current":1,"total":7}}`)})
	var got []string
	err := e.PullImage(t.Context(), "x:1", func(p PullProgress) {
		got = append(got, fmt.Sprintf("%s %d/%d", p.Status, p.Current, p.Total))
	})
	assert.NilError(t, err)
	assert.DeepEqual(t, got, []string{
		"Pulling from library/x 0/0", "Downloading 10/100", "Downloading 60/150",
		"Download complete 150/150", "Extracting 150/150",
	})
}

func TestPullImageGivesTheEnginesReason(t *testing.T) {
	for _, tc := range []struct {
		name string
		http.HandlerFunc
		want string
	}{
		{"not found", answer(http.StatusNotFound, `{"message":"manifest for x:1 not found"}`), "manifest for x:1 not found"},
		{"no registry", answer(http.StatusInternalServerError, `{"message":"Get \"https://r/\": no such host"}`), `Get "https://r/": no such host`},
		{"many lines", answer(http.StatusInternalServerError, `{"message":"no\n\n  way"}`), "no way"},
		{"in the stream", answer(http.StatusOK, `{"status":"Downloading","id":"a"}{"errorDetail":{"message":"no space left"},"error":"no space left"}`), "no space left"},
		{"broken stream", answer(http.StatusOK, `{"status":"Down`), "read the engine's progress: unexpected EOF"},
		{"no JSON", answer(http.StatusOK, `<html>`), "read the engine's progress: invalid character '<' looking for beginning of value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := serve(t, map[string]http.HandlerFunc{"POST /images/create": tc.HandlerFunc})
			err := e.PullImage(t.Context(), "x:1", func(PullProgress) {})
			asImageError(t, err, "image x:1: "+tc.want)
		})
	}
}

func TestAnEndedContextEndsAPullAndKeepsItsError(t *testing.T) {
	e := serve(t, map[string]http.HandlerFunc{"POST /images/create": func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"status":"Downloading","id":"a"}`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	err := e.PullImage(ctx, "x:1", func(PullProgress) { cancel() })
	assert.ErrorIs(t, err, context.Canceled)
	assert.Error(t, err, "pull image x:1: context canceled")
}

func TestAnEngineThatIsGoneIsAnEngineError(t *testing.T) {
	cli, err := client.NewClientWithOpts(client.WithHost("unix://"+t.TempDir()+"/none.sock"), client.WithVersion("1.41"))
	assert.NilError(t, err)
	defer func() { _ = cli.Close() }()
	e := &Engine{cli: cli}
	for _, err := range []error{
		e.PullImage(t.Context(), "x", func(PullProgress) {}),
		e.BuildImage(t.Context(), ImageBuild{Ref: "x", Context: strings.NewReader("")}, func(string) {}),
		e.ImportImage(t.Context(), ImageImport{Ref: "x", Rootfs: strings.NewReader("")}),
	} {
		var engineErr *sandbox.EngineError
		assert.Assert(t, errors.As(err, &engineErr), "%T: %v", err, err)
	}
}

func TestBuildImageSendsItsContextAndGivesWholeLines(t *testing.T) {
	var query, sent string
	e := serve(t, map[string]http.HandlerFunc{
		"GET /images/x/json": noImage,
		"POST /build": func(w http.ResponseWriter, r *http.Request) {
			query = r.URL.Query().Get("t") + " " + r.URL.Query().Get("labels") + " " + r.URL.Query().Get("nocache")
			header, _ := tar.NewReader(r.Body).Next()
			sent = header.Name
			answer(http.StatusOK, `{"stream":"Step 1/2 : FROM a\n"}{"stream":"Get:1 "}{"stream":"http\r\n\n"}{"aux":{"ID":"s"}}{"stream":"tail"}`)(w, r)
		},
	})
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	assert.NilError(t, w.WriteHeader(&tar.Header{Name: "Dockerfile"}))
	assert.NilError(t, w.Close())
	var lines []string
	err := e.BuildImage(t.Context(), ImageBuild{Ref: "x", Context: &buf, Labels: map[string]string{"k": "v"}, NoCache: true},
		func(line string) { lines = append(lines, line) })
	assert.NilError(t, err)
	assert.Equal(t, query, `x {"k":"v"} 1`)
	assert.Equal(t, sent, "Dockerfile")
	assert.DeepEqual(t, lines, []string{"Step 1/2 : FROM a", "Get:1 http", "tail"})
}

func TestAFailedBuildGivesTheEnginesReasonAfterItsOutput(t *testing.T) {
	e := serve(t, map[string]http.HandlerFunc{
		"GET /images/x/json": noImage,
		"POST /build":        answer(http.StatusOK, `{"stream":"half"}{"errorDetail":{"message":"The command\n returned 100"}}`),
	})
	var lines []string
	err := e.BuildImage(t.Context(), ImageBuild{Ref: "x", Context: strings.NewReader("")}, func(l string) { lines = append(lines, l) })
	asImageError(t, err, "image x: The command returned 100")
	assert.DeepEqual(t, lines, []string{"half"})
}
