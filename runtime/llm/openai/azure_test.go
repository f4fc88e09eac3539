package openai_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

// Azure has the deployment in the path, the version in the query, and the key
// in a header of its own.
func TestAzure(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		azure openai.Azure
		path  string // behind the server's address, in the configuration
		want  string
	}{
		"named like the model": {openai.Azure{}, "", "/openai/deployments/gpt-4.1/chat/completions?api-version=" + openai.DefaultAPIVersion},
		"of its own name":      {openai.Azure{Deployment: "prod", APIVersion: "2025-01-01-preview"}, "", "/openai/deployments/prod/chat/completions?api-version=2025-01-01-preview"},
		"in the address":       {openai.Azure{APIVersion: "v"}, "/openai/deployments/prod", "/openai/deployments/prod/chat/completions?api-version=v"},
		"as Azure shows it":    {openai.Azure{APIVersion: "v"}, "/openai/deployments/prod/chat/completions", "/openai/deployments/prod/chat/completions?api-version=v"},
		"with /openai":         {openai.Azure{APIVersion: "v"}, "/openai/", "/openai/deployments/gpt-4.1/chat/completions?api-version=v"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, fakellm.Text("fine").WithUsage(1, 2))
			model, _ := connect(t, srv, func(c *openai.Config) {
				c.Model, c.Azure = "gpt-4.1", &tt.azure
				c.BaseURL = strings.TrimSuffix(c.BaseURL, "/v1") + tt.path
			})
			resp, err := model.Complete(t.Context(), ask("hi"))
			assert.NilError(t, err)
			assert.Equal(t, resp.Usage.OutputTokens, 2)
			request := srv.Requests()[0]
			assert.Equal(t, request.Path, tt.want)
			assert.Equal(t, request.Header.Get("Api-Key"), testKey)
			assert.Equal(t, request.Header.Get("Authorization"), "")
		})
	}
}

func TestMistakesWithAzure(t *testing.T) {
	t.Parallel()
	_, err := openai.New(openai.Config{Model: "m", APIKey: testKey, Azure: &openai.Azure{}})
	assert.ErrorContains(t, err, "https://NAME.openai.azure.com: set OPENAI_BASE_URL")
	_, err = openai.New(openai.Config{Model: "m", BaseURL: "http://localhost:1", Azure: &openai.Azure{}, Profile: "cloud"})
	assert.Equal(t, typed(t, err).Kind, llm.KindAuth)
	assert.ErrorContains(t, err, "set the key of [llm.cloud]")

	srv := fakellm.New(t, fakellm.ErrorCode(404, "DeploymentNotFound", "The API deployment for this resource does not exist."))
	model, _ := connect(t, srv, func(c *openai.Config) { c.Azure = &openai.Azure{Deployment: "prod"} })
	_, err = model.Complete(t.Context(), ask("hi"))
	assert.ErrorContains(t, err, "deployment prod at http://127.0.0.1")
}
