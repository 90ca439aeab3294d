import { describe, expect, it } from "vitest";
import { namedLines } from "./named-lines.ts";

describe("lines of several processes", () => {
  const setup = () => {
    const written: string[] = [];
    return { written, lines: namedLines((line) => written.push(line)) };
  };

  it("are written in full after a name, however they are cut into pieces and mixed", () => {
    const { written, lines } = setup();
    lines.write("agent", "it sta");
    lines.write("gateway", "ready\n");
    lines.write("agent", "rts\n\nand ");
    lines.write("agent", "runs\n");
    expect(written).toEqual(["gateway: ready\n", "agent: it starts\n", "\n", "agent: and runs\n"]);
  });

  it("are written at the end even without a line break", () => {
    const { written, lines } = setup();
    lines.write("agent", "half a");
    lines.write("gateway", "half a");
    lines.end("agent");
    expect(written).toEqual(["agent: half a\n"]);
    lines.end();
    lines.end();
    expect(written).toEqual(["agent: half a\n", "gateway: half a\n"]);
  });
});
