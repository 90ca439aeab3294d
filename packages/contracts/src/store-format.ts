/** The number of the format of a store in Redis. Every change of the keys or their contents raises it. A process refuses a store with another format. */
export const STORE_FORMAT = "1";
