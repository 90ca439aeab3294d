import { describe, expect, it } from "vitest";
import { StoreRefused } from "../state-store.ts";
import { parseRedisUrl } from "./redis-url.ts";

const plain = {
  host: "host",
  port: 6379,
  tls: false,
  username: null,
  password: null,
  database: 0,
  namespace: null,
  durability: null,
  replicas: 0,
  shown: "Redis at host:6379",
};

describe("the URL of a Redis store", () => {
  it.each([
    ["redis://host", {}],
    ["redis://host/", {}],
    ["redis://host:7000/3", { port: 7000, database: 3, shown: "Redis at host:7000" }],
    ["rediss://host", { tls: true, shown: "Redis at host:6379 (TLS)" }],
    ["redis://:p%40ss%2F%25@host", { password: "p@ss/%" }],
    ["redis://me:secret@host", { username: "me", password: "secret" }],
    ["redis://[::1]:7000", { host: "::1", port: 7000, shown: "Redis at [::1]:7000" }],
    ["redis://host?namespace=blue.1&durability=relaxed&replicas=2", { namespace: "blue.1", durability: "relaxed", replicas: 2 }],
  ])("reads %s", (url, parts) => {
    expect(parseRedisUrl(url)).toEqual({ ...plain, ...parts });
  });

  it.each([
    ["redis://", "is not a URL: write redis://USER:PASSWORD@HOST:PORT/DATABASE."],
    ["redis://me:secret@host:port", "is not a URL: write redis://USER:PASSWORD@HOST:PORT/DATABASE."],
    ["redis://me:secret@host#x", "is not a URL: write redis://USER:PASSWORD@HOST:PORT/DATABASE."],
    ["redis://:secret%@host", "has a % that does not begin an escape: write %25 for it."],
    ["redis://:secret@host/first", "is not a number: it names the database, such as /0."],
    ["redis://:secret@host/-1", "is not a number: it names the database, such as /0."],
    ["redis://:secret@host?name=x", 'does not know the option "name": use namespace, durability, replicas.'],
    ["redis://:secret@host?namespace={a}", "may contain only letters, digits, dots, dashes and underscores."],
    ["redis://:secret@host?namespace=", "may contain only letters, digits, dots, dashes and underscores."],
    ["redis://:secret@host?durability=none", 'is neither "required" nor "relaxed".'],
    ["redis://:secret@host?replicas=many", "must be a number from 0 to 9."],
  ])("refuses %s with a sentence that repeats no password", (url, sentence) => {
    const refusal = refusalOf(url);
    expect(refusal).toBeInstanceOf(StoreRefused);
    expect(refusal?.message).toContain(sentence);
    expect(refusal?.message).not.toContain("secret");
  });
});

function refusalOf(url: string): Error | null {
  try {
    parseRedisUrl(url);
    return null;
  } catch (error) {
    return error instanceof Error ? error : null;
  }
}
