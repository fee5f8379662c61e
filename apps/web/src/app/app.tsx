/** Everything that stands around the pages. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { LanguageProvider } from "../i18n/language-provider.js";
import { createServices, ServicesContext } from "../lib/services.js";
import { router } from "./router.js";

const services = createServices();
const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 2_000 } } });

export const App = () => (
  <LanguageProvider>
    <QueryClientProvider client={queries}>
      <ServicesContext value={services}>
        <RouterProvider router={router} />
      </ServicesContext>
    </QueryClientProvider>
  </LanguageProvider>
);
