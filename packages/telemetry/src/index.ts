export { createLog, LOG_LEVELS, type Log, type LogLevel, silentLog } from "./logger.ts";
