/** Builds the web workspace into `dist`, which the gateway serves. */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ["deerflow-source", ...defaultClientConditions] },
  build: {
    target: "es2022",
    // A strict content security policy forbids `data:` addresses for everything but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The renderer of markdown is one large part that is loaded when it is needed; a test holds the budget of the rest.
    chunkSizeWarningLimit: 700,
  },
  server: { port: 5173, proxy: { "/api": "http://127.0.0.1:2026", "/health": "http://127.0.0.1:2026" } },
});
