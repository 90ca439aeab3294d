export { type Incompatibility, incompatibilities } from "./incompatibilities.ts";
export { type CompatibilityManifest, compatibilityManifest, manifestText, parseCompatibilityManifest } from "./manifest.ts";
