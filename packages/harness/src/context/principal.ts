/** Who acts. Every store method and every path takes a Principal first, so isolation cannot be forgotten. */
export interface Principal {
  /** Decimal string of the tenant's id; `local` without identity. */
  readonly tenantId: string;
  /** Decimal string of the user's id; `local` without identity. */
  readonly userId: string;
}

/** The one principal of an installation without identity. */
export const LOCAL_PRINCIPAL: Principal = Object.freeze({ tenantId: "local", userId: "local" });
