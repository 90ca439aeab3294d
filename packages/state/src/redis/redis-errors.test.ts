import { describe, expect, it } from "vitest";
import { StoreRefused, StoreUnavailable } from "../state-store.ts";
import { refusalOf, storeErrorOf } from "./redis-errors.ts";

const SHOWN = "Redis at host:6379";

describe("an error of Redis", () => {
  it.each([
    "LOADING Redis is loading the dataset in memory",
    "BUSY Redis is busy running a script",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MISCONF Redis is configured to save RDB snapshots",
    "NOREPLICAS Not enough good replicas to write.",
    "READONLY You can't write against a read only replica.",
    "CLUSTERDOWN Hash slot not served",
  ])("is unavailability, in one sentence: %s", (message) => {
    const error = storeErrorOf(reply(message), SHOWN);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error.message).toMatch(/^Redis at host:6379 [^.]+\.$/);
  });

  it.each([
    "WRONGPASS invalid username-password pair or user is disabled.",
    "NOAUTH Authentication required.",
    "NOPERM this user has no permissions to run the 'evalsha' command",
    "DENIED Redis is running in protected mode",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "ERR DB index is out of range",
    "ERR SELECT is not allowed in cluster mode",
  ])("is a refusal, with what to do: %s", (message) => {
    const error = storeErrorOf(reply(message), SHOWN);
    expect(error).toBeInstanceOf(StoreRefused);
    expect(error.message).toMatch(/^Redis at host:6379 .+\.$/);
    expect(refusalOf(reply(message), SHOWN)?.message).toBe(error.message);
  });

  it("otherwise stays a fault of ours, without the command and its arguments", () => {
    const error = storeErrorOf(reply("ERR user_script:12: attempt to index a nil value"), SHOWN);
    expect(error).not.toBeInstanceOf(StoreUnavailable);
    expect(error.message).toBe("Redis at host:6379 answered: ERR user_script:12: attempt to index a nil value");
    expect(Object.values(Object.getOwnPropertyDescriptors(error)).map(({ value }: PropertyDescriptor) => String(value))).not.toContain(
      "secret",
    );
    expect(error.cause).toBeUndefined();
  });
});

describe("a failure on the way to Redis", () => {
  it.each([
    [
      Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:6379"), { code: "ECONNREFUSED" }),
      "refuses connections: nothing listens there.",
    ],
    [Object.assign(new Error("getaddrinfo ENOTFOUND host"), { code: "ENOTFOUND" }), "cannot be found: its host name has no address."],
    [Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }), "cannot be reached (ECONNRESET)."],
    [Object.assign(new Error("connect ETIMEDOUT"), { code: "ETIMEDOUT" }), "did not answer in time."],
    [new Error("Command timed out"), "did not answer in time."],
    [new Error("Connection is closed."), "cannot be reached."],
  ])("is unavailability: %s", (failure, sentence) => {
    expect(storeErrorOf(failure, SHOWN)).toEqual(new StoreUnavailable(`${SHOWN} ${sentence}`));
    expect(refusalOf(failure, SHOWN)).toBeNull();
  });

  it("is a refusal if the certificate is the reason", () => {
    const failure = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(refusalOf(failure, SHOWN)?.message).toContain("shows no certificate that can be trusted (DEPTH_ZERO_SELF_SIGNED_CERT)");
  });
});

/** Makes an error as the client does, with the command that it sent. */
function reply(message: string): Error {
  return Object.assign(new Error(message), { name: "ReplyError", command: { name: "auth", args: ["secret"] } });
}
