import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { innerRabbitmqScript, programOnPath } from "./program.ts";

describe("a program on the path", () => {
  const setup = () => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolbus-program-"));
    const file = (name: string, text: string, mode = 0o755): string => {
      const full = path.join(folder, name);
      mkdirSync(path.dirname(full), { recursive: true });
      writeFileSync(full, text);
      chmodSync(full, mode);
      return full;
    };
    const searchPath = ["one", "two"].map((name) => path.join(folder, name)).join(path.delimiter);
    return { file, folder, searchPath, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  };

  it("is the first that can be run", () => {
    using bundle = setup();
    bundle.file("one/server", "no program", 0o644);
    const second = bundle.file("two/server", "#!/bin/sh\n");
    expect(programOnPath("server", bundle.searchPath)).toBe(second);
  });

  it("is not a folder and not a missing file", () => {
    using bundle = setup();
    mkdirSync(path.join(bundle.folder, "one", "server"), { recursive: true });
    expect(programOnPath("server", bundle.searchPath)).toBeNull();
    expect(programOnPath("server", "")).toBeNull();
  });

  it("is RabbitMQ's own script if the one on the path only wraps it", () => {
    using bundle = setup();
    const inner = bundle.file("lib/rabbitmq-server", "#!/bin/sh\nexec erl\n");
    const wrapper = bundle.file(
      "one/rabbitmq-server",
      `#!/bin/sh\nif root; then\n    su rabbitmq -c "${bundle.folder}/lib/\${SCRIPT} $@"\nfi\n`,
    );
    expect(innerRabbitmqScript(wrapper)).toBe(inner);
    expect(innerRabbitmqScript(inner)).toBe(inner);
  });
});
