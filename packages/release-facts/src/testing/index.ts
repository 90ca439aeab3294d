export { scratchFolder, type ScratchRepository, scratchRepository } from "./scratch-repository.ts";
