#!/usr/bin/env node
// A package manager links this file as `toolbus`. The file starts boot.mjs, as `npm run` does. boot.mjs installs missing packages and finds the right
// Node.
if (process.env.npm_command === "exec") process.env.TOOLBUS_TYPED ??= "npx toolbus";
process.argv.splice(2, 0, "toolbus");
await import("../../../scripts/boot.mjs");
