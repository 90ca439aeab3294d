export { gateway } from "./service.ts";
