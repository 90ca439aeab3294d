import { nestDriver } from "./nest-driver.ts";

/** The driver's sockets wait for more data before they send, because Nagle's algorithm is on. */
export const driver = nestDriver({ noDelay: false });
