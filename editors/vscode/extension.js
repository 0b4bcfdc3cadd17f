// Starts everafter's language server for Promela models, and ends it with the editor.
"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const settings = workspace.getConfiguration("everafter");
  const server = { command: settings.get("command", "everafter"), args: ["lsp"] };
  client = new LanguageClient("everafter", "everafter", server, {
    documentSelector: [{ language: "promela" }],
    initializationOptions: { defines: settings.get("defines", {}) },
  });
  await client.start();
}

async function deactivate() {
  if (client !== undefined) {
    await client.stop();
  }
}

module.exports = { activate, deactivate };
