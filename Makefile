# drydock: build, test and demonstrate. Every target sets up what it needs.

GO      ?= go
BIN     := bin
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
GUESTS  := $(addprefix sandbox/guestbin/bin/guest-linux-,amd64 arm64)
LINTER  := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# No test and no demonstration may reach a real model by accident.
OFFLINE := env -u OPENAI_API_KEY -u OPENAI_API_KEY_FILE -u OPENAI_BASE_URL -u OPENAI_MODEL

.PHONY: help
help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: $(BIN)/drydock ## Build bin/drydock with its guests

.PHONY: FORCE
$(BIN)/drydock: $(GUESTS) FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='$(LDFLAGS)' -o $@ ./cmd/drydock

sandbox/guestbin/bin/guest-linux-%: FORCE
	CGO_ENABLED=0 GOOS=linux GOARCH=$* $(GO) build -trimpath -ldflags='-s -w' -o $@ ./cmd/drydock-guest

.PHONY: engine
engine: ## Find the container engine, or install and start it
	@sh scripts/ensure-engine.sh

.PHONY: images
images: engine build ## Build drydock's own images
	$(BIN)/drydock images build

.PHONY: demo
demo: engine build ## Solve a small task in a sandbox with a recorded model
	@sh examples/demo/run.sh $(BIN)/drydock

.PHONY: test
test: engine compiler build vet ## Check formatting, vet, and run every test with the race detector
	$(BIN)/drydock images build base
	$(OFFLINE) $(GO) test $$(command -v gcc >/dev/null && echo -race) -timeout 20m ./...

.PHONY: runsc
runsc: engine build ## Add the runtime runsc (gVisor) to the engine on this machine
	@sh scripts/ensure-runsc.sh
	$(BIN)/drydock images build base
	$(BIN)/drydock doctor --runtime runsc

.PHONY: test-runsc
test-runsc: runsc ## Play the sandbox contract and the tools' tables under gVisor
	DRYDOCK_TEST_RUNTIME=runsc $(GO) test -timeout 20m -run 'TestContract$$' ./sandbox/docker
	$(OFFLINE) DRYDOCK_TEST_RUNTIME=runsc DRYDOCK_CONFORMANCE=all $(GO) test -count=1 -timeout 60m -run TestConformance ./agents

# Podman answers in Docker's place; the images must be on it.
PODMAN_SOCKET ?= /run/podman/podman.sock

.PHONY: test-podman
test-podman: build ## Play the whole sandbox contract on the Podman at PODMAN_SOCKET
	DOCKER_HOST=unix://$(PODMAN_SOCKET) $(BIN)/drydock images build base
	DOCKER_HOST=unix://$(PODMAN_SOCKET) $(GO) test -timeout 20m -run 'TestContract$$' ./sandbox/docker

.PHONY: conformance
conformance: engine build ## Play every row of the tools' tables, the slow ones too
	$(BIN)/drydock images build base
	$(OFFLINE) DRYDOCK_CONFORMANCE=all $(GO) test -count=1 -timeout 30m -run TestConformance ./agents

.PHONY: compiler
compiler:
	@sh scripts/ensure-compiler.sh

.PHONY: vet
vet: ## Check formatting and vet
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed:" $$unformatted; exit 1; fi
	$(GO) vet ./...

.PHONY: lint
lint: vet ## Run the linters
	$(GO) mod tidy -diff
	$(GO) run $(LINTER) run ./...

# How long each fuzzer runs.
FUZZTIME ?= 5s

.PHONY: fuzz
fuzz: build ## Feed every parser of untrusted bytes mutated ones, FUZZTIME each
	@set -e; grep -rno --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' . | sort | while IFS=: read -r file _ func; do \
		echo "== $${file%/*} $${func#func }"; \
		$(OFFLINE) $(GO) test -run '^$$' -fuzz "^$${func#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s "$${file%/*}"; \
	done

.PHONY: realtasks
realtasks: engine build ## Solve bugs of real projects from recorded turns
	$(OFFLINE) $(GO) run ./examples/realtasks --drydock $(BIN)/drydock

.PHONY: bench
bench: engine build ## Measure drydock against the engine's own interface
	$(BIN)/drydock images build base
	$(GO) run ./bench

.PHONY: bench-steps
bench-steps: build ## Measure what a step of a run costs beside the model and the tools
	$(GO) run ./bench/steps

.PHONY: chaos
chaos: engine build ## Kill runs at random and look for what they leave
	$(BIN)/drydock images build base
	$(OFFLINE) $(GO) run ./bench/chaos --drydock $(BIN)/drydock

.PHONY: abuse
abuse: engine build ## Play hostile programs against the sandbox, then measure its endurance
	$(BIN)/drydock images build base
	$(GO) run ./bench/abuse
	$(GO) run ./bench/abuse --endurance

.PHONY: clean
clean: ## Remove what the build made
	rm -rf $(BIN) $(GUESTS)
