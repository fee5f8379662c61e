/** LangGraph's key-value store over whichever database is in use. */
import {
  BaseStore,
  type Item,
  type Operation,
  type OperationResults,
  type SearchItem,
} from "@langchain/langgraph-checkpoint";
import type { Principal } from "../../context/principal.js";
import type { ThreadRouter } from "./thread-router.js";

export class RoutedStore extends BaseStore {
  readonly #router: ThreadRouter;
  readonly #principal: Principal;

  constructor(router: ThreadRouter, principal: Principal) {
    super();
    this.#router = router;
    this.#principal = principal;
  }

  override batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    return this.#call((store) => store.batch(operations));
  }

  override get(...given: Parameters<BaseStore["get"]>): Promise<Item | null> {
    return this.#call((store) => store.get(...given));
  }

  override search(...given: Parameters<BaseStore["search"]>): Promise<SearchItem[]> {
    return this.#call((store) => store.search(...given));
  }

  override put(...given: Parameters<BaseStore["put"]>): Promise<void> {
    return this.#call((store) => store.put(...given));
  }

  override delete(...given: Parameters<BaseStore["delete"]>): Promise<void> {
    return this.#call((store) => store.delete(...given));
  }

  override listNamespaces(...given: Parameters<BaseStore["listNamespaces"]>): Promise<string[][]> {
    return this.#call((store) => store.listNamespaces(...given));
  }

  #call<T>(work: (store: BaseStore) => Promise<T>): Promise<T> {
    return this.#router.useStore((side) => work(side.store(this.#principal)));
  }
}
