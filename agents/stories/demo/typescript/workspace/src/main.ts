import { checkout } from "./checkout";
import { OrderService } from "./service";

export const total: number = checkout(new OrderService(), new Map([["tea", 450], ["cup", 800]]));
