package fakellm

import (
	"maps"
	"net/http"
	"slices"
)

// overflows are what servers say of a conversation that is larger than their
// model reads.
var overflows = map[string]struct {
	status int
	body   string
}{
	"openai":       {400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
	"openai-2":     {400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`},
	"azure":        {400, `{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested 9001 tokens (8001 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.","type":"invalid_request_error","param":null,"code":null}}`},
	"vllm":         {400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages, Please reduce the length of the messages.","type":"BadRequestError","param":null,"code":400}`},
	"vllm-2":       {400, `{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that max_model_len is no smaller than the number of text tokens.","type":"BadRequestError","param":null,"code":400}}`},
	"ollama":       {400, `{"error":{"message":"prompt too long; exceeded max context length by 812 tokens","type":"api_error","param":null,"code":null}}`},
	"ollama-2":     {500, `{"error":{"message":"the input length exceeds the context length: exceed_context_size","type":"api_error","param":null,"code":null}}`},
	"llama.cpp":    {400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`},
	"anthropic":    {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`},
	"anthropic-2":  {400, `{"error":{"code":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 199000 + 8192 > 200000, decrease input length or ` + "`max_tokens`" + ` and try again","type":"invalid_request_error","param":null}}`},
	"bedrock":      {400, `{"message":"Input is too long for requested model."}`},
	"bedrock-2":    {400, `{"error":{"message":"The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum","type":"ValidationException"}}`},
	"gemini":       {400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`},
	"litellm":      {400, `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - too big","type":null,"param":null,"code":"400"}}`},
	"openrouter":   {400, `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input, 1000 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.","code":400}}`},
	"openrouter-2": {400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"type\":\"error\",\"error\":{\"message\":\"prompt is too long\"}}","provider_name":"x"}}}`},
	"groq":         {400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
	"groq-2":       {413, `{"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000","type":"tokens","code":"rate_limit_exceeded"}}`},
	"mistral":      {400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`},
	"tgi":          {422, `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens`" + ` must be <= 4096. Given: 5000 ` + "`inputs` tokens and 100 `max_new_tokens`" + `","error_type":"validation"}`},
	"tgi-2":        {422, `{"error":"Input validation error: ` + "`inputs`" + ` must have less than 1024 tokens. Given: 1500","error_type":"validation"}`},
	"xai":          {400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`},
	"deepseek":     {400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (62000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`},
	"cohere":       {400, `{"message":"too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130000"}`},
	"lmstudio":     {400, `{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`},
}

// OverflowServers names the servers whose words for a conversation that is too
// large Overflow knows; a number tells several of one server apart.
func OverflowServers() []string { return slices.Sorted(maps.Keys(overflows)) }

// Overflow refuses a conversation for its size, in the words of a server.
func Overflow(server string) Turn {
	o, ok := overflows[server]
	if !ok {
		return Status(http.StatusInternalServerError, "fakellm knows no server "+server)
	}
	return Body(o.status, jsonType, o.body)
}
