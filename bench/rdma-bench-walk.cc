/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Writes down the functions that a program enters and leaves, for bench/walk.py. The script links
 * this file with a program whose sources the compiler has instrumented (-finstrument-functions),
 * and with an environment variable that names the file to write.
 *
 * Each line is a function's address, with a minus sign if the function ends.
 */

#include <cstdio>
#include <cstdlib>

namespace
{

/** The file, open from the first call to the end of the program. */
class Log
{
  public:
    Log()
        : m_file(std::fopen(std::getenv("RDMA_BENCH_WALK"), "w"))
    {
    }

    ~Log()
    {
        std::fclose(m_file);
        m_file = nullptr;
    }

    /** \param function address of a function \param sign in front of the address */
    void Write(void* function, const char* sign)
    {
        if (m_file) // null if a global object outlives this one
        {
            std::fprintf(m_file, "%s%p\n", sign, function);
        }
    }

  private:
    std::FILE* m_file;
};

/** \return the log of the program */
Log&
GetLog()
{
    static Log log;
    return log;
}

} // namespace

// The names that the compiler calls.
extern "C" void
__cyg_profile_func_enter(void* function, void*)
{
    GetLog().Write(function, "");
}

extern "C" void
__cyg_profile_func_exit(void* function, void*)
{
    GetLog().Write(function, "-");
}
