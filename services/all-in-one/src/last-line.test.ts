import { describe, expect, it } from "vitest";
import { lastLineHeld } from "./last-line.ts";

describe("text whose last line is held", () => {
  const setup = () => {
    const out: string[] = [];
    const waiting = new Set<() => void>();
    const afterWaiting = (act: () => void) => {
      waiting.add(act);
      return () => void waiting.delete(act);
    };
    const secondsPass = () => waiting.forEach((act) => act());
    return { out, secondsPass, text: lastLineHeld((text) => out.push(text), afterWaiting) };
  };

  it("is written one line late, however it is cut into pieces", () => {
    const { out, text } = setup();
    for (const piece of ["one", "\ntw", "o\n", "three\nfour\n"]) text.write(piece);
    expect(out.join("")).toBe("one\ntwo\nthree\n");
  });

  it("is written in full and at once when it is released", () => {
    const { out, text } = setup();
    text.write("one\ntwo");
    text.release();
    text.write(" and a half\n");
    expect(out).toEqual(["one\n", "two", " and a half\n"]);
  });

  it("is without its last line when that is dropped", () => {
    const { out, text } = setup();
    text.write("one\ntwo\n");
    text.drop();
    text.release();
    expect(out).toEqual(["one\n"]);
  });

  it("is no longer held when nothing follows it for some seconds", () => {
    const { out, text, secondsPass } = setup();
    text.write("one\ntwo\n");
    secondsPass();
    expect(out).toEqual(["one\n", "two\n"]);
    text.write("three\n");
    text.drop();
    secondsPass();
    expect(out).toEqual(["one\n", "two\n"]);
  });
});
