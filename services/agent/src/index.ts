export { agent } from "./service.ts";
