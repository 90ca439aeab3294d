import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { agent } from "@toolbus/agent";
import { approvals } from "@toolbus/approvals";
import { gateway } from "@toolbus/gateway";
import { makeServiceKeys, runServices, serviceKeyFiles } from "@toolbus/runtime";
import { describe, expect, it } from "vitest";

const SERVICES = { gateway, agent, approvals } as const;
const base = { BUS_URL: "nats://127.0.0.1:1", STATE_URL: "memory:", LOG_LEVEL: "silent" };

describe("a service in a process of its own", () => {
  it.each(["gateway", "agent", "approvals"] as const)(
    "does not start with a signing key that its SERVICE_KEYS_FILE does not have, because nobody would believe it: %s",
    async (name) => {
      const directory = await mkdtemp(path.join(tmpdir(), "unlisted-"));
      const [own, other] = [serviceKeyFiles(path.join(directory, "own")), serviceKeyFiles(path.join(directory, "other"))];
      for (const files of [own, other]) await makeServiceKeys(files, { toolsets: [], ownToolsets: ["release"], random: randomBytes });
      const setting = `${name.toUpperCase()}_KEY_FILE`;
      const start = (file: string) =>
        runServices([SERVICES[name]], {
          env: { ...base, [setting]: file, SERVICE_KEYS_FILE: own.trusted },
          // A start that gets past its keys ends here, at the broker that nobody started.
          signal: AbortSignal.timeout(1000),
        });
      const refused = new RegExp(`^The key in ${setting} .* is not the key of ${name} in SERVICE_KEYS_FILE `);
      await expect(start(path.join(directory, "other", `${name}-signing.jwk`))).rejects.toThrow(refused);
      await expect(start(path.join(directory, "own", `${name}-signing.jwk`))).rejects.not.toThrow(refused);
      await rm(directory, { recursive: true });
    },
  );
});
