/** Keeps a failure of one part of the page inside that part. */
import { Component, type ComponentType, type ReactNode } from "react";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Tries again when it changes. */
  readonly resetKey: string;
  readonly Fallback: ComponentType<{ readonly reason: string }>;
}

interface ErrorBoundaryState {
  readonly reason: string | undefined;
  readonly resetKey: string | undefined;
}

/** A class, because React offers this to classes only. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { reason: undefined, resetKey: undefined };

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { reason: error instanceof Error ? error.message : String(error) };
  }

  static getDerivedStateFromProps(
    { resetKey }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return resetKey === state.resetKey ? null : { reason: undefined, resetKey };
  }

  override render(): ReactNode {
    const { children, Fallback } = this.props;
    return this.state.reason === undefined ? children : <Fallback reason={this.state.reason} />;
  }
}
