#!/usr/bin/env node
// What a package manager links as `toolbus`. The way in is one for all: it installs what is missing and finds the right Node.
if (process.env.npm_command === "exec") process.env.TOOLBUS_TYPED ??= "npx toolbus";
process.argv.splice(2, 0, "toolbus");
await import("../../../scripts/boot.mjs");
