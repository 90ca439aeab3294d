import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { guardedLookup, isPublicAddress, NotPublic, type ResolveName, whyNotCalled } from "./network-guard.ts";

const NOBODY: ReadonlySet<string> = new Set();
const why = (url: string, allowed = NOBODY) => whyNotCalled(new URL(url), allowed);
const answering =
  (...addresses: readonly string[]): ResolveName =>
  (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

/** Returns the addresses to which a socket would connect, or the error if there are none. */
function looked(isAllowed: boolean, resolve: ResolveName, all: boolean): Promise<readonly LookupAddress[] | string | Error> {
  return new Promise((done) => {
    guardedLookup(isAllowed, resolve)("hooks.example.com", { all }, (error, address) => done(error ?? (address as string)));
  });
}

describe("the addresses that webhooks are sent to", () => {
  it.each([
    ["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.9", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ["198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "fd00::1"],
    ["fe80::1", "fec0::1", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::1", "fd00:ec2::254", "not an address"],
    ["::ffff:0:7f00:1", "::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1", "::ffff:0:169.254.169.254", "0:0:0:0:ffff:0:a9fe:a9fe"],
  ])("are not %s, %s, %s and the like", (...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it("are those of the public Internet", () => {
    expect(["1.1.1.1", "93.184.215.14", "172.32.0.1", "2606:4700:4700::1111", "::ffff:1.1.1.1"].map(isPublicAddress)).toEqual(
      Array.from({ length: 5 }, () => true),
    );
  });

  it("are https at port 443, unless the operator allows the host", () => {
    expect(why("https://hooks.example.com/a")).toBeNull();
    expect(why("http://hooks.example.com/")).toMatch(/not https/);
    expect(why("https://hooks.example.com:8443/")).toMatch(/port 8443/);
    expect(why("https://user:secret@hooks.example.com/")).toBe("its address contains a user or a password");
    expect(why("ftp://hooks.example.com/")).toMatch(/neither https nor http/);
    expect(why("http://127.0.0.1:9000/", new Set(["127.0.0.1:9000"]))).toBeNull();
    expect(why("http://127.0.0.1:9001/", new Set(["127.0.0.1:9000"]))).toMatch(/not https/);
    expect(why("http://intern/", new Set(["intern"]))).toBeNull();
  });

  it("are recognised however an address is spelled", () => {
    for (const host of ["127.1", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "１２７.0.0.1", "169.254.169.254"])
      expect([host, why(`https://${host}/`)]).toEqual([host, expect.stringMatching(/is not a public address/)]);
  });

  it("are those to which a name was resolved and which were checked: one that is not public refuses the name", async () => {
    expect(await looked(false, answering("1.1.1.1", "2606:4700:4700::1111"), true)).toHaveLength(2);
    expect(await looked(false, answering("1.1.1.1"), false)).toBe("1.1.1.1");
    for (const all of [true, false]) {
      const refused = await looked(false, answering("1.1.1.1", "10.0.0.7"), all);
      expect(refused).toBeInstanceOf(NotPublic);
      expect((refused as Error).message).toBe(
        "the name hooks.example.com has the address 10.0.0.7, which is not public, and is not allowed",
      );
    }
    expect(await looked(false, answering(), true)).toBeInstanceOf(NotPublic);
    expect(await looked(true, answering("10.0.0.7"), false)).toBe("10.0.0.7");
  });
});
