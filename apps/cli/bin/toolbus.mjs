#!/usr/bin/env node
// A package manager links this file as `toolbus`. Like `npm run`, it starts boot.mjs, which installs missing packages and finds the right Node.
if (process.env.npm_command === "exec") process.env.TOOLBUS_TYPED ??= "npx toolbus";
process.argv.splice(2, 0, "toolbus");
await import("../../../scripts/boot.mjs");
