// Starts everafter's language server for Promela models, and its debugger for their counterexamples.
"use strict";

const fs = require("fs");
const path = require("path");
const { commands, debug, workspace, window, DebugAdapterExecutable, ViewColumn } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function command() {
  return workspace.getConfiguration("everafter").get("command", "everafter");
}

// The page of a run, in a column beside the text.
function showPage(file) {
  const panel = window.createWebviewPanel("everafter.run", path.basename(file), ViewColumn.Beside, {
    enableScripts: true,
    enableFindWidget: true,
  });
  panel.title = "The run";
  panel.webview.html = fs.readFileSync(file, "utf8");
}

function startDebugging(program, property, defines) {
  const name = `counterexample to ${property}`;
  return debug.startDebugging(undefined, { type: "everafter", request: "launch", name, program, property, defines });
}

const middleware = {
  async executeCommand(name, given, next) {
    const answer = await next(name, given);
    if (name === "everafter.page" && answer && answer.path) {
      showPage(answer.path);
    }
    return answer;
  },
};

async function activate(context) {
  const defines = workspace.getConfiguration("everafter").get("defines", {});
  context.subscriptions.push(
    commands.registerCommand("everafter.debug", startDebugging),
    debug.registerDebugAdapterDescriptorFactory("everafter", {
      createDebugAdapterDescriptor: () => new DebugAdapterExecutable(command(), ["dap"]),
    }),
    debug.registerDebugConfigurationProvider("everafter", {
      resolveDebugConfiguration(_folder, given) {
        const open = window.activeTextEditor && window.activeTextEditor.document.fileName;
        return { type: "everafter", request: "launch", name: "counterexample", program: open, defines, ...given };
      },
    }),
  );
  client = new LanguageClient("everafter", "everafter", { command: command(), args: ["lsp"] }, {
    documentSelector: [{ language: "promela" }],
    initializationOptions: { defines, pages: true, debugger: true },
    middleware,
  });
  await client.start();
}

async function deactivate() {
  if (client !== undefined) {
    await client.stop();
  }
}

module.exports = { activate, deactivate };
