import type { Driver } from "./driver.ts";

/** The drivers in the folder of peers, each a module that exports `driver`. */
export type PeerName = "nest-as-shipped" | "nest-no-delay" | "moleculer-as-shipped";

/** A driver that stands on what npm installed into the folder of peers, which is no part of the workspace. */
export async function peerDriver(name: PeerName): Promise<Driver> {
  const { driver } = (await import(new URL(`../../peers/${name}.ts`, import.meta.url).href)) as { readonly driver: Driver };
  return driver;
}
