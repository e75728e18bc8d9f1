import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { environment: "happy-dom", include: ["tests/**/*.test.ts"] },
  plugins: [{ name: "styles", enforce: "pre", load: (id) => (id.endsWith(".css") ? "export default ''" : null) }],
})
