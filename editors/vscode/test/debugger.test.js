// The debug adapter, driven by the client of Visual Studio Code's own tests of debuggers: npm install, npm test.
// EVERAFTER names the command, if it is not on the path, and TRACE a trace of the model, so that it is not checked anew.
"use strict";

const assert = require("node:assert");
const path = require("node:path");
const { afterEach, beforeEach, test } = require("node:test");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const COMMAND = process.env.EVERAFTER || "everafter";
const EXAMPLES = path.resolve(__dirname, "../../../examples");
const PROGRAM = path.join(EXAMPLES, "mutex_broken.pml");
const LAUNCH = { program: PROGRAM, ...(process.env.TRACE ? { trace: process.env.TRACE } : {}) };
const HOLDING = path.join(EXAMPLES, "peterson.pml");

let client;

beforeEach(async () => {
  client = new DebugClient(COMMAND, "dap", "everafter");
  client.defaultTimeout = 60000;
  await client.start();
});

afterEach(() => client.stop());

/** What the frame on top shows: its name, and the variables of a scope by their names. */
async function seen(scope) {
  const { body } = await client.stackTraceRequest({ threadId: 1 });
  const { scopes } = (await client.scopesRequest({ frameId: body.stackFrames[0].id })).body;
  const { variablesReference } = scopes.find((each) => each.name === scope);
  const { variables } = (await client.variablesRequest({ variablesReference })).body;
  return [body.stackFrames[0].name, Object.fromEntries(variables.map((each) => [each.name, each.value]))];
}

async function begin() {
  await Promise.all([client.configurationSequence(), client.launch(LAUNCH),
    client.assertStoppedLocation("entry", { path: PROGRAM })]);
}

async function move(request) {
  const [{ body }] = await Promise.all([client.waitForEvent("stopped"), request]);
  return body;
}

test("a counterexample is stepped through to its end, and back", async () => {
  await begin();
  assert.deepStrictEqual((await client.threadsRequest()).body.threads.map((each) => each.id), [1]);
  const shown = [await seen("Globals")];
  let stop = {};
  while (stop.reason !== "exception") {
    stop = await move(client.nextRequest({ threadId: 1 }));
    shown.push(await seen("Globals"));
  }
  const info = (await client.exceptionInfoRequest({ threadId: 1 })).body;
  assert.strictEqual(info.description, stop.text);
  assert.ok(shown.length > 3);
  for (const expected of shown.reverse().slice(1)) {
    await move(client.stepBackRequest({ threadId: 1 }));
    assert.deepStrictEqual(await seen("Globals"), expected);
  }
});

test("it stops at a breakpoint, also backwards", async () => {
  await begin();
  const stops = new Set();
  while ((await move(client.nextRequest({ threadId: 1 }))).reason === "step") {
    stops.add((await client.stackTraceRequest({ threadId: 1 })).body.stackFrames[0].line);
  }
  const line = [...stops].pop();
  const asked = { source: { path: PROGRAM }, breakpoints: [{ line }] };
  assert.deepStrictEqual((await client.setBreakpointsRequest(asked)).body.breakpoints, [{ verified: true, line }]);
  assert.strictEqual((await move(client.reverseContinueRequest({ threadId: 1 }))).reason, "breakpoint");
  await move(client.restartRequest({ arguments: {} }));
  await Promise.all([client.assertStoppedLocation("breakpoint", { path: PROGRAM, line }),
    client.continueRequest({ threadId: 1 })]);
});

test("launched with a breakpoint, and without a stop at the entry, it is hit", async () => {
  await begin();
  await move(client.nextRequest({ threadId: 1 }));
  const { line } = (await client.stackTraceRequest({ threadId: 1 })).body.stackFrames[0];
  await client.stop();
  await client.start();
  await client.hitBreakpoint({ ...LAUNCH, stopOnEntry: false }, { path: PROGRAM, line });
});

test("a request that has no meaning is refused, and the conversation goes on", async () => {
  await begin();
  await assert.rejects(client.evaluateRequest({ expression: "nothing +", context: "watch" }));
  await assert.rejects(client.gotoRequest({ threadId: 1, targetId: 1 }));
  assert.strictEqual((await client.evaluateRequest({ expression: "1 + 1", context: "repl" })).body.result, "2");
});

test("a model that holds has nothing to step through", async () => {
  const [exited] = await Promise.all([client.waitForEvent("exited"), client.waitForEvent("terminated"),
    client.assertOutput("console", "safety: holds"), client.configurationSequence(),
    client.launch({ program: HOLDING, property: "safety" })]);
  assert.strictEqual(exited.body.exitCode, 0);
});
