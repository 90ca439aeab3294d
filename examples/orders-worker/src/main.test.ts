import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the orders worker that lacks its receipt key says in one sentence what to do, and exits with 1", async () => {
  const env = { BUS_URL: "nats://broker.example", STATE_URL: "redis://store.example" };
  const child = spawn(process.execPath, [fileURLToPath(new URL("./main.ts", import.meta.url))], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr:
      'The toolset "orders" has the write "issue_refund" and no receipt key: pass "receiptKeyFile". "toolbus keys --toolsets orders --give worker.orders=FOLDER" copies worker.orders-signing.jwk into a folder for all its replicas.\n',
  });
});
