export { orders } from "./orders.ts";
export { shopAt } from "./shop/shop-at.ts";
