import { peerModule } from "../peer-module.ts";
import type { Driver } from "./driver.ts";

/** The drivers in the folder of peers, each a module that exports `driver`. */
export type PeerName = "nest-as-shipped" | "nest-no-delay" | "moleculer-as-shipped";

/** A driver that needs the packages that npm installed into the folder of peers. */
export async function peerDriver(name: PeerName): Promise<Driver> {
  return (await peerModule<{ readonly driver: Driver }>(name)).driver;
}
