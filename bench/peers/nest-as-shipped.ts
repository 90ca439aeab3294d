import { nestDriver } from "./nest-driver.ts";

/** Its sockets wait for more to send: Nagle's algorithm is on. */
export const driver = nestDriver({ noDelay: false });
