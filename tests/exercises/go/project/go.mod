module exercise

go 1.19
