import { describe, expect, it } from "vitest";
import { singleRead } from "./single-read.ts";

function setup() {
  const begun: { readonly signal: AbortSignal; readonly end: (value: string) => void; readonly fail: (error: unknown) => void }[] = [];
  const read = singleRead(
    (signal) => new Promise<string>((end, fail) => begun.push({ signal, end, fail })),
    (value) => value !== "again",
  );
  return { begun, read };
}

const never = new AbortController().signal;

describe("a single read", () => {
  it("serves all who ask at the same time, and those who ask later", async () => {
    const { begun, read } = setup();
    const answers = [read.within(never), read.within(never)];
    begun[0]?.end("done");
    expect(await Promise.all(answers)).toEqual(["done", "done"]);
    expect(await read.within(never)).toBe("done");
    expect(begun).toHaveLength(1);
  });

  it("goes on if one who asked does not wait, so that the next one finds the result", async () => {
    const { begun, read } = setup();
    const hurry = new AbortController();
    const first = read.within(hurry.signal);
    hurry.abort();
    expect(await first).toBeUndefined();
    begun[0]?.end("done");
    expect(await read.within(never)).toBe("done");
    expect(begun[0]?.signal.aborted).toBe(false);
  });

  it("forgets an error and a value that is not final", async () => {
    const { begun, read } = setup();
    const failing = read.within(never);
    begun[0]?.fail(new Error("disk gone"));
    await expect(failing).rejects.toThrow("disk gone");
    const passing = read.within(never);
    begun[1]?.end("again");
    expect(await passing).toBe("again");
    void read.within(never);
    expect(begun).toHaveLength(3);
  });

  it("is aborted when it is stopped", () => {
    const { begun, read } = setup();
    void read.within(never);
    read.stop();
    expect(begun[0]?.signal.aborted).toBe(true);
  });
});
