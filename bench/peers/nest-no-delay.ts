import { nestDriver } from "./nest-driver.ts";

export const driver = nestDriver({ noDelay: true });
