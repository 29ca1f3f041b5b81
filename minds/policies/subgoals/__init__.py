"""Sub-goals (Hashemzadeh et al. 2024): one small policy says what to reach next, another one how."""
